# The Dockerfile that `rails new` writes: rails/rails, railties/lib/rails/generators/rails/app/templates/Dockerfile.tt;
# https://guides.rubyonrails.org/getting_started.html. The gems come with the base image, and the app has no assets to compile.
FROM ruby:3.1-slim AS base
WORKDIR /rails
ENV RAILS_ENV=production BUNDLE_WITHOUT=development

FROM base AS build
COPY Gemfile .ruby-version ./
RUN bundle install
COPY . .

FROM base
COPY --from=build /usr/local/bundle /usr/local/bundle
COPY --from=build /rails /rails
RUN useradd rails --home /rails --shell /bin/bash && \
    mkdir -p log storage tmp && \
    chown -R rails:rails log storage tmp
USER rails:rails
EXPOSE 3000
CMD ["./bin/rails", "server"]
