import type { Answers } from './answers.ts'

/** The server in containers: in production mode behind a proxy that does TLS, or on this machine at an http address. */
export function composeFile(answers: Answers): string {
  const usesPostgres = answers.database === 'postgres'
  return `# docker compose up -d, then: docker compose exec grantkit grantkit check
# Secrets come from .env.
services:
  grantkit:
    # No registry has the image. Compose builds it from the repository, or from a clone: GRANTKIT_SOURCE=../grantkit
    build: &build \${GRANTKIT_SOURCE:-https://github.com/grantkit/grantkit.git}
    image: grantkit-server
    restart: unless-stopped
    # Longer than DRAIN_SECONDS and the requests that are being answered.
    stop_grace_period: 30s
    environment: &environment
${modeAndAddress(answers)}
      # The configuration may name the port of your machine.
      PORT: "3000"
      SECRET: \${SECRET:?at least 32 random characters}
      KEYS_FILE: /data/keys.json
      DATABASE_URL: ${databaseUrl(answers)}
${externalKey(answers)}    ports:
      - "127.0.0.1:${publishedPort(answers)}:3000"
    volumes: &volumes
      - ./grantkit.config.ts:/config/grantkit.config.ts:ro
      - data:/data
    depends_on:
      keys:
        condition: service_completed_successfully
${usesPostgres ? HEALTHY_POSTGRES : ''}
  # Creates the signing keys once.
  keys:
    build: *build
    image: grantkit-server
    entrypoint: [sh, -c]
    command: ["test -f /data/keys.json || grantkit keys rotate"]
    environment: *environment
    volumes: *volumes
${usesPostgres ? `    depends_on:\n${HEALTHY_POSTGRES}${POSTGRES}` : ''}
volumes:
  data:
${usesPostgres ? '  postgres:\n' : ''}`
}

/** The image is for production, which refuses an http address. */
function modeAndAddress({ url }: Answers): string {
  return isHttps(url)
    ? `      BASE_URL: ${url}
      # The proxy in front of it, which does TLS.
      TRUST_PROXY: "1"`
    : `      # For this machine only. For others: no NODE_ENV here, an https BASE_URL, and TRUST_PROXY for your proxy.
      NODE_ENV: development
      BASE_URL: ${url}`
}

/** The port of a proxy on this machine, or of its browsers. */
function publishedPort({ url }: Answers): string {
  return isHttps(url) ? '3000' : new URL(url).port || '80'
}

const isHttps = (url: string) => url.startsWith('https://')

function databaseUrl({ database }: Answers): string {
  return database === 'postgres'
    ? 'postgres://grantkit:$' + '{POSTGRES_PASSWORD:?letters and digits, at least 20}@postgres/grantkit'
    : 'sqlite:/data/service.sqlite'
}

function externalKey({ users }: Answers): string {
  if (users === 'here') return ''
  return '      EXTERNAL_SIGN_IN_KEY: $' + '{EXTERNAL_SIGN_IN_KEY:?the key that the application has too}\n'
}

const HEALTHY_POSTGRES = `      postgres:
        condition: service_healthy
`

const POSTGRES = `
  postgres:
    image: postgres:18-alpine
    restart: unless-stopped
    environment:
      POSTGRES_USER: grantkit
      POSTGRES_DB: grantkit
      POSTGRES_PASSWORD: \${POSTGRES_PASSWORD:?letters and digits, at least 20}
    ports:
      - "127.0.0.1:5432:5432"
    volumes:
      - postgres:/var/lib/postgresql
    healthcheck:
      # Over TCP: while the image creates its first database, a server runs that listens on its socket alone.
      test: [CMD, pg_isready, --host, 127.0.0.1, --username, grantkit]
      interval: 5s
`
