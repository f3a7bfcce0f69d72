# https://caddyserver.com/docs/quick-starts/static-files
FROM caddy:2
COPY . /srv
EXPOSE 8080
CMD ["caddy", "file-server", "--root", "/srv", "--listen", ":8080"]
