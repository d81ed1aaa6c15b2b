# Two images of one Bosun: `bosun` (the last stage, what a plain build makes) and `worker`, which may also hold coding
# agents. Both run as 10001, keep everything that is to last in /data, and need no other folder that can be written to
# but /tmp.
#
#   docker build -t bosun .
#   docker build -t bosun-worker --target worker --build-arg AGENTS="@anthropic-ai/claude-code@2.1.197" .
# By its content (the tag is for people): a newer one is taken on purpose, with security updates of its system.
ARG NODE_IMAGE=node:22-bookworm-slim@sha256:43ac6c60b8f89723f746e8a92ce91abd5017e627ce1ddfe4238355d3a30b772c

FROM ${NODE_IMAGE} AS build
RUN apt-get update \
  && apt-get install -y --no-install-recommends python3 make g++ \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --include=optional --no-audit --no-fund
COPY bin/build.mjs bin/build.mjs
COPY src src
RUN node bin/build.mjs dist
# esbuild is needed to build and never after; of SQLite, only what was compiled.
RUN rm -rf node_modules/esbuild node_modules/@esbuild \
    node_modules/better-sqlite3/deps node_modules/better-sqlite3/src \
  && find node_modules/better-sqlite3/build -type f ! -path '*/build/Release/better_sqlite3.node' -delete \
  && node --input-type=commonjs -e "new (require('better-sqlite3'))(':memory:').close()"
COPY LICENSE ./
COPY bin/bosun bin/bosun
COPY bin/setup bin/setup
COPY prompts prompts
COPY workflows workflows
COPY examples examples
COPY deploy/docker/entrypoint.sh deploy/docker/entrypoint.sh
COPY deploy/docker/config.yaml deploy/docker/config.yaml
COPY deploy/docker/health.mjs deploy/docker/health.mjs
COPY deploy/docker/ssh.conf deploy/docker/ssh.conf
# Files come with the modes of the checkout, which may be its owner's alone (umask 077).
RUN chmod -R a+rX . && chmod a+x bin/bosun deploy/docker/entrypoint.sh

FROM ${NODE_IMAGE} AS base
ARG VERSION=unknown
LABEL org.opencontainers.image.title="Bosun" \
      org.opencontainers.image.description="Drive software projects from chat." \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}"
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates git openssh-client sqlite3 tini \
  && rm -rf /var/lib/apt/lists/*
RUN groupadd --gid 10001 bosun \
  && useradd --uid 10001 --gid bosun --home-dir /data --no-create-home --shell /bin/sh bosun \
  && install -d -o bosun -g bosun -m 0700 /data
WORKDIR /app
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/bin/bosun bin/bosun
COPY --from=build /app/bin/setup bin/setup
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/prompts prompts
COPY --from=build /app/workflows workflows
COPY --from=build /app/examples examples
COPY --from=build /app/deploy deploy
COPY --from=build /app/deploy/docker/ssh.conf /etc/ssh/ssh_config.d/bosun.conf
# Git reads more from where its keys are, by a link that the entrypoint makes; one that is not there is no mistake.
RUN ln -s /app/bin/bosun /usr/local/bin/bosun && git config --system include.path /data/.gitconfig-keys
# The home is a folder of its own within the volume: a volume's top may have a mode that is not Bosun's to change.
ENV HOME=/data \
    BOSUN_HOME=/data/bosun \
    BOSUN_WEB_HOST=0.0.0.0
VOLUME /data
USER 10001:10001
STOPSIGNAL SIGTERM
# tini takes away what agents leave behind when they end, and passes signals on.
ENTRYPOINT ["tini", "--", "/app/deploy/docker/entrypoint.sh"]

FROM base AS worker
ARG AGENTS=""
USER root
RUN if [ -n "${AGENTS}" ]; then \
      HOME=/root npm install --global --no-audit --no-fund ${AGENTS} && rm -rf /root/.npm; \
    fi
USER 10001:10001
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s --retries=3 \
  CMD ["node", "/app/deploy/docker/health.mjs", "worker"]
CMD ["worker"]

FROM base AS bosun
EXPOSE 7420
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "/app/deploy/docker/health.mjs", "up"]
CMD ["up"]
