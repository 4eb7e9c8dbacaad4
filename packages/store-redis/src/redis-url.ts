/** Address and kind of a Redis deployment, from one URL. */
export type RedisUrl =
  | { readonly kind: 'node'; readonly url: string }
  | (Hosts & { readonly kind: 'cluster' })
  | (Hosts & { readonly kind: 'sentinel'; readonly name: string })

export interface Hosts {
  readonly tls: boolean
  readonly username?: string | undefined
  readonly password?: string | undefined
  /** Some of the nodes or sentinels; the others are found through them. */
  readonly hosts: readonly { readonly host: string; readonly port: number }[]
}

const SEVERAL = /^redis(s?)\+(cluster|sentinel):\/\/(?:([^@/]*)@)?([^@/]+)(?:\/([^/]*))?$/
const DEFAULT_PORT = { cluster: 6379, sentinel: 26379 }

/**
 * Reads `redis://host:6379/0` (a node), `redis+cluster://host:6379,host:6379` (a cluster) or
 * `redis+sentinel://host:26379,host:26379/name` (a primary that sentinels watch under a name). `rediss` is TLS, and
 * `user:password@` goes before the hosts.
 *
 * @throws Error that says what is wrong. It does not quote the URL, which holds a password.
 */
export function parseRedisUrl(url: string): RedisUrl {
  if (/^rediss?:\/\//.test(url)) return { kind: 'node', url }
  const [, tls, kind, login, hosts = '', name = ''] = SEVERAL.exec(url) ?? []
  if (kind !== 'cluster' && kind !== 'sentinel') {
    throw new Error(
      'A Redis URL begins with redis://, redis+cluster:// or redis+sentinel:// (rediss for TLS)',
    )
  }
  const several = {
    tls: tls === 's',
    ...credentials(login),
    hosts: hosts.split(',').map((host) => address(host, DEFAULT_PORT[kind])),
  }
  if (kind === 'cluster') return { kind, ...several }
  if (name === '') throw new Error('A redis+sentinel:// URL ends with the name of the primary: /mymaster')
  return { kind, name: decodeURIComponent(name), ...several }
}

function credentials(login = ''): { username: string | undefined; password: string | undefined } {
  const [username = '', ...password] = login.split(':')
  return {
    username: username === '' ? undefined : decodeURIComponent(username),
    password: password.length === 0 ? undefined : decodeURIComponent(password.join(':')),
  }
}

function address(text: string, defaultPort: number): { host: string; port: number } {
  const [, host = '', port = String(defaultPort)] = /^(\[[^\]]+\]|[^:[\]]+)(?::(\d+))?$/.exec(text) ?? []
  if (host === '') throw new Error('A Redis URL names each of its hosts as host or host:port')
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) }
}
