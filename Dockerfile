# The reference service. Node runs its TypeScript as it is, so there is nothing to build.
FROM node:24-slim AS dependencies
WORKDIR /service
RUN npm install --global pnpm@12.21.0
COPY . .
# Adapters find their framework, and core, in the folder above: both are peers of theirs.
RUN pnpm install --frozen-lockfile --prod --shamefully-hoist --filter @grantkit/reference...

FROM node:24-slim
WORKDIR /service
ENV NODE_ENV=production HOST=0.0.0.0
COPY --from=dependencies --chown=root:root /service ./
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then(({ok}) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "apps/reference/src/main.ts"]
