import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@grantkit/test-servers/free-port'
import {
  type Gateway,
  startCaddy,
  startHaproxy,
  startNginx,
  startTraefik,
} from '@grantkit/test-servers/gateway'
import { findSystemPart } from '@grantkit/test-servers/system-parts'

interface Ports {
  readonly own: number
  readonly service: number
  readonly application: number
}

const START = {
  nginx: async (ports: Ports) => startNginx(await shipped('nginx.conf', ports)),
  Caddy: async (ports: Ports) => startCaddy(await shipped('Caddyfile', ports)),
  HAProxy: async (ports: Ports) =>
    startHaproxy(await shipped('haproxy.cfg', ports), await shipped('verify.lua', ports)),
  Traefik: async (ports: Ports) => startTraefik(await shipped('traefik.yml', ports), ports.own),
}

export interface ShippedGateway extends Gateway {
  readonly port: number
}

type GatewayKind = keyof typeof START

/** Traefik only where it is installed: no distribution has it. */
export const GATEWAYS = (Object.keys(START) as GatewayKind[]).filter(isInstalled)

function isInstalled(kind: GatewayKind): boolean {
  const installed = kind !== 'Traefik' || findSystemPart(kind) !== undefined
  if (!installed) console.warn('Traefik is not installed: its configuration is not tested.')
  return installed
}

/** Starts a gateway with the configuration of docs/operations, but for its addresses. */
export async function startShipped(
  kind: GatewayKind,
  service: number,
  application: number,
): Promise<ShippedGateway> {
  const own = await freePort()
  const gateway = await START[kind]({ own, service, application })
  // It listens before it has read its routes.
  if (kind === 'Traefik') while ((await fetch(`http://127.0.0.1:${own}`)).status === 404) await sleep(50)
  return { port: own, ...gateway }
}

async function shipped(file: string, ports: Ports): Promise<string> {
  const place = new URL(`../../../../docs/operations/forward-auth/${file}`, import.meta.url)
  return (await readFile(place, 'utf8'))
    .replace('listen 80;', `listen 127.0.0.1:${ports.own};`)
    .replace('http://notes.example', `http://:${ports.own}`)
    .replace('bind :80', `bind 127.0.0.1:${ports.own}`)
    .replace('/etc/haproxy/', '')
    .replace(/127\.0\.0\.1:3000\b/, `127.0.0.1:${ports.service}`)
    .replaceAll('service:3000', `127.0.0.1:${ports.service}`)
    .replaceAll('application:8080', `127.0.0.1:${ports.application}`)
}
