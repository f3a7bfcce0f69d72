# https://docs.docker.com/guides/python/containerize/ with https://flask.palletsprojects.com/en/stable/deploying/gunicorn/,
# whose factory takes one worker here, so that memory is compared like with like. The dependencies are pyproject.toml's.
FROM python:3.11-slim
ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
WORKDIR /app
RUN useradd --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin --uid 10001 appuser
RUN --mount=type=cache,target=/root/.cache/pip python -m pip install 'flask>=2.2' gunicorn
USER appuser
COPY . .
EXPOSE 8000
CMD ["gunicorn", "app:create_app()", "--bind", "0.0.0.0:8000"]
