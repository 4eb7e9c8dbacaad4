import { readFile } from 'node:fs/promises'

/** The ports of the balancer and of the replicas behind it, all on this machine. */
export interface Balanced {
  readonly port: number
  readonly replicas: readonly number[]
}

const SHIPPED = new URL('../../../../docs/operations/haproxy.cfg', import.meta.url)

/** The shipped configuration, with these ports and without TLS. */
export async function haproxyConfig({ port, replicas }: Balanced): Promise<string> {
  const servers = replicas.map((replica, index) => `  server replica${index + 1} 127.0.0.1:${replica}\n`)
  return (await readFile(SHIPPED, 'utf8'))
    .replace(/^ {2}bind .*$/m, `  bind 127.0.0.1:${port}`)
    .replace(/(^ {2}server .*\n)+/gm, servers.join(''))
}
