interface WorkloadRow {
  readonly title: string
  /** The status of every answer. */
  readonly status: 200 | 201
  /** The members that every answer has. */
  readonly members: readonly string[]
}

const TOKENS = ['access_token', 'refresh_token']
const NOTES = { status: 200, members: ['owner'] } as const

/** The workloads, one row each: the request, and the members of a correct response. */
export const WORKLOADS = {
  code: { title: 'code', status: 200, members: TOKENS },
  refresh: { title: 'refresh', status: 200, members: TOKENS },
  protected: { title: 'protected GET', ...NOTES },
  introspect: { title: 'introspection', status: 200, members: ['active'] },
  userinfo: { title: 'UserInfo', status: 200, members: ['sub'] },
  jwt: { title: 'JWT GET', ...NOTES },
  dpop: { title: 'DPoP GET', ...NOTES },
  mcp: { title: 'MCP call', status: 200, members: ['jsonrpc', 'result'] },
  par: { title: 'PAR', status: 201, members: ['request_uri', 'expires_in'] },
} as const satisfies Record<string, WorkloadRow>

export type WorkloadName = keyof typeof WORKLOADS
export const WORKLOAD_NAMES = Object.keys(WORKLOADS) as WorkloadName[]

/** Prepares requests, each for one use. It runs in the process of the server, before the clock of a round does. */
export type Workload = (count: number) => Promise<string[]> | string[]

/** A server in its process, listening on loopback. */
export interface Target {
  /** An absent workload is not offered. `consent` is only for the latency. */
  readonly workloads: Readonly<Partial<Record<WorkloadName | 'consent', Workload>>>
  /** A request that gets a 200 only if the access token is live. Absent if the target checks no tokens. */
  readonly opens?: (accessToken: string) => string
  /** Ends what the target started besides. */
  readonly close?: () => Promise<unknown>
}

/** The export of every target file. */
export type StartTarget = (port: number) => Promise<Target>
