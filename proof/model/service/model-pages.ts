import type { ConsentView, Interaction } from '@grantkit/core'
import type { DeviceInteraction, DeviceView, UserCodeView } from '@grantkit/core/device'

/** What a form of a page sends, and where. */
export interface Form {
  readonly action: string
  readonly ticket: string
}

/** The pages of a server as data: the last one of each kind. Alice is signed in. */
export class Pages implements Interaction, DeviceInteraction {
  readonly #shown = new Map<string, Form>()
  readonly #now: () => number

  /** @param now epoch seconds */
  constructor(now: () => number) {
    this.#now = now
  }

  /** @throws Error if the page was not shown */
  form(kind: 'consent' | 'user code' | 'device'): Form {
    const form = this.#shown.get(kind)
    if (form === undefined) throw new Error(`The page for ${kind} was not shown`)
    return form
  }

  readonly session = async () => ({ id: 'session', subject: 'alice', authTime: this.#now() })
  readonly signIn = () => page(303)
  readonly errorPage = () => page(400)
  readonly deviceAnsweredPage = () => page(200)
  readonly consentPage = (view: ConsentView) => this.#show('consent', view)
  readonly userCodePage = (view: UserCodeView) => this.#show('user code', view)
  readonly devicePage = (view: DeviceView) => this.#show('device', view)

  #show(kind: string, { action, ticket }: Form) {
    this.#shown.set(kind, { action, ticket })
    return page(200)
  }
}

function page(status: number) {
  return { status, headers: {}, body: '' }
}
