# The image of @grantkit/server. Node runs its TypeScript as it is, so there is nothing to build.
FROM node:24-slim AS dependencies
WORKDIR /grantkit
RUN npm install --global pnpm@12.21.0
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./
COPY packages packages
# Adapters find their framework, and core, in the folder above: both are peers of theirs.
RUN pnpm install --frozen-lockfile --prod --shamefully-hoist --filter-prod @grantkit/server...

FROM node:24-slim
COPY --from=dependencies --chown=root:root /grantkit /grantkit
# The command, the folder for SQLite files and signing keys, and what a configuration may import.
RUN chmod +x /grantkit/packages/server/src/bin.ts \
  && ln -s /grantkit/packages/server/src/bin.ts /usr/local/bin/grantkit \
  && install -d -o node -g node /data \
  && install -d /config /node_modules \
  && ln -s /grantkit/packages /node_modules/@grantkit
ENV NODE_ENV=production HOST=0.0.0.0
# It may have grantkit.config.ts, .js or .json.
WORKDIR /config
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then(({ok}) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["grantkit"]
CMD ["start"]
