import type { AuthorizationServerOptions, HttpResponse } from '@grantkit/core'
import type { VerdictId } from '@grantkit/explain'
import { authorize } from '../client.ts'
import type { Service, ServiceScope } from '../service.ts'

/** A fault of a sign-in that users report, and the verdict on it. */
export interface Fault {
  readonly fault: string
  readonly options?: Partial<AuthorizationServerOptions<ServiceScope>>
  /**
   * Sends the requests of the client and of its user.
   *
   * @returns the page or the response that has the reference; `undefined` if neither of them sees one
   */
  provoke(service: Service): Promise<HttpResponse | Service['shown'] | undefined>
  readonly verdict: VerdictId
  readonly compared?: Readonly<Record<string, string>>
}

/** The same service for a client at this address. */
export function from(remoteAddress: string, service: Service): Service {
  return {
    ...service,
    send: (method, path, message) => service.send(method, path, { ...message, remoteAddress }),
  }
}

/** The page that the user gets: consent or an error. */
export async function pageOf(service: Service, query: string): Promise<Service['shown']> {
  await authorize(service, query)
  return { ...service.shown }
}
