import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launch } from './launched-server.ts'
import { requireSystemPart } from './system-parts.ts'
import { handOver, SERVER_USER } from './unprivileged.ts'

/** A proxy with a configuration of its own. */
export interface Gateway {
  close(): Promise<void>
}

/** @param site what `http { }` of nginx.conf includes */
export function startNginx(site: string): Promise<Gateway> {
  const files = { 'nginx.conf': NGINX, 'site.conf': site }
  return start('nginx', files, ['-p', '.', '-c', 'nginx.conf', '-e', 'stderr'], 'start worker processes')
}

/** @param site what stands in the Caddyfile behind the global options */
export function startCaddy(site: string): Promise<Gateway> {
  const files = { Caddyfile: `{\n\tadmin off\n\tauto_https off\n}\n${site}` }
  const options = ['run', '--config', 'Caddyfile', '--adapter', 'caddyfile']
  return start('Caddy', files, options, 'serving initial configuration')
}

/**
 * @param site the configuration
 * @param script what it loads from `verify.lua`
 */
export function startHaproxy(site: string, script: string): Promise<Gateway> {
  const files = { 'haproxy.cfg': site, 'verify.lua': script }
  return start('HAProxy', files, ['-W', '-db', '-f', 'haproxy.cfg'], 'Loading success')
}

/**
 * @param site the dynamic configuration
 * @param port where its only entry point listens
 */
export function startTraefik(site: string, port: number): Promise<Gateway> {
  const settings = `log: { level: INFO }
global: { checkNewVersion: false }
providers: { file: { filename: site.yml } }
entryPoints: { web: { address: "127.0.0.1:${port}" } }
`
  const files = { 'traefik.yml': settings, 'site.yml': site }
  return start('Traefik', files, ['--configFile=traefik.yml'], 'Starting provider *file.Provider')
}

const NGINX = `daemon off;
pid nginx.pid;
error_log stderr notice;
events { }
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`).join(' ')}
  include site.conf;
}
`

async function start(
  part: 'nginx' | 'Caddy' | 'HAProxy' | 'Traefik',
  files: Readonly<Record<string, string>>,
  options: readonly string[],
  ready: string,
): Promise<Gateway> {
  const folder = await mkdtemp(join(tmpdir(), 'grantkit-gateway-'))
  for (const [name, content] of Object.entries(files))
    await writeFile(join(folder, name), content, { mode: 0o644 })
  await handOver(folder)
  const gateway = await launch(requireSystemPart(part), options, ready, { cwd: folder, ...SERVER_USER })
  return {
    async close() {
      const ended = once(gateway, 'exit')
      // Not SIGKILL: the workers of nginx end with their master.
      gateway.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true })
    },
  }
}
