/** The ports of the balancer and of the replicas behind it, all on this machine. */
export interface Balanced {
  readonly port: number
  readonly replicas: readonly number[]
}

/**
 * The configuration of an HAProxy in front of several replicas. It checks twice a second whether each is ready, so a
 * replica that stops or loses its store gets no new requests.
 */
export function haproxyConfig({ port, replicas }: Balanced): string {
  return `global
  maxconn 4096

defaults
  mode http
  timeout connect 2s
  # Who sends a request too slowly holds no connection, and no replica sees half a form.
  timeout http-request 5s
  option http-buffer-request
  timeout http-keep-alive 30s
  timeout client 30s
  timeout server 30s
  # A replica that ended before it answered: only where nothing was sent yet is another one asked.
  retries 3
  option redispatch
  retry-on conn-failure

frontend public
  bind 127.0.0.1:${port}
  option forwardfor
  # Nobody but this proxy says who the caller is.
  http-request set-header X-Forwarded-Proto %[ssl_fc,iif(https,http)]
  default_backend grantkit

backend grantkit
  balance roundrobin
  option httpchk
  http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host 127.0.0.1:${port}
  timeout check 2s
  default-server check inter 500ms fall 2 rise 1
${replicas.map((replica, index) => `  server replica${index + 1} 127.0.0.1:${replica}`).join('\n')}
`
}
