import { startDevice } from '../grants/device.ts'
import { NoApproval, NoRefreshToken } from '../grants/no-approval.ts'
import type { Operation } from '../history/operation.ts'
import type { Bench } from './bench.ts'
import type { Grant, HeldGrant } from './grant.ts'
import { authorizationRequest, clientRequest } from './requests.ts'
import type { Sender } from './sender.ts'

/** Gets grants by the ways of the run, each in a family of its own. */
export class Approvals {
  readonly #bench: Bench
  readonly #prefix: string
  #families = 0

  constructor(bench: Bench, prefix: string) {
    this.#bench = bench
    this.#prefix = prefix
  }

  async byCode(scope = this.#bench.scope): Promise<Grant> {
    const { ways, endpoints, clients, budget } = this.#bench
    const [client] = clients
    if (ways.authorize === undefined || endpoints.authorization === undefined)
      throw new NoApproval('There is no way to a code.')
    budget.takeGrant()
    const family = this.#newFamily()
    const request = authorizationRequest(this.#bench, endpoints.authorization, client, scope)
    const invoked = performance.now()
    const callback = await ways.authorize(request.url)
    const code = codeOf(callback, request.state)
    this.#add('approve', family, { code: this.#hash(code), expiresIn: this.#bench.codeSeconds, invoked })
    return { family, client, scope, code, callback, verifier: request.verifier }
  }

  async startDevice(): Promise<Grant> {
    const { endpoints, clients, budget, transport, scope } = this.#bench
    const [client] = clients
    if (endpoints.device === undefined) throw new NoApproval('There is no device authorization endpoint.')
    budget.takeGrant()
    const fields = { scope: scope.length > 0 ? scope.join(' ') : undefined }
    const request = clientRequest(this.#bench, endpoints.device, client, fields)
    return { family: this.#newFamily(), client, scope, device: await startDevice(transport, request) }
  }

  async approveDevice({ family, device }: Grant): Promise<void> {
    if (device === undefined || this.#bench.ways.approve === undefined)
      throw new NoApproval('Nobody approves devices.')
    const invoked = performance.now()
    await this.#bench.ways.approve(device)
    this.#add('approve', family, { key: this.#hash(device.deviceCode), invoked })
  }

  async deny({ family, code, callback, device }: Grant): Promise<void> {
    const { deny } = this.#bench.ways
    const invoked = performance.now()
    await deny?.(device?.userCode ?? callback ?? '')
    this.#add('deny', family, { key: this.#hash(device?.deviceCode ?? code), invoked })
  }

  async held(stage: Sender, scope?: readonly string[]): Promise<HeldGrant> {
    const { ways } = this.#bench
    if (ways.authorize !== undefined) {
      const grant = await this.byCode(scope)
      return heldBy(grant, await stage.send(stage.attempts.redeem(grant)))
    }
    if (ways.tokens !== undefined) return this.#supplied(stage)
    const grant = await this.startDevice()
    await this.approveDevice(grant)
    await stage.wait(grant.device?.interval ?? 5)
    return heldBy(grant, await stage.send(stage.attempts.poll(grant)))
  }

  /** The supplied token is spent at once: who supplied it may still use it. */
  async #supplied(stage: Sender): Promise<HeldGrant> {
    const { clients, scope, budget, ways } = this.#bench
    const token = ways.tokens?.shift()
    if (token === undefined) throw new NoApproval('No supplied token is left.')
    budget.takeGrant()
    const grant = { family: this.#newFamily(), client: clients[0], scope }
    this.#add('approve', grant.family, { refresh: this.#hash(token), invoked: performance.now() })
    return heldBy(grant, await stage.send(stage.attempts.refresh(grant, token)))
  }

  #add(f: 'approve' | 'deny', family: string, rest: Partial<Operation> & { invoked: number }): void {
    const returned = performance.now()
    this.#bench.recorder.add({ process: 'user', f, family, result: 'ok', returned, ...rest })
  }

  #hash(secret: string | undefined): string | undefined {
    return this.#bench.recorder.hash(secret)
  }

  #newFamily(): string {
    this.#families += 1
    return `${this.#prefix}${this.#families}`
  }
}

function heldBy(grant: Grant, { operation, tokens }: Awaited<ReturnType<Sender['send']>>): HeldGrant {
  const { access, refresh } = tokens
  if (access === undefined)
    throw new NoApproval(
      `The token endpoint answers ${operation.status ?? 'nothing'} ${operation.error ?? ''}`.trim(),
    )
  if (refresh === undefined)
    throw new NoRefreshToken('There is no refresh token: is offline_access in --scope?')
  return { ...grant, tokens: { ...tokens, access, refresh } }
}

function codeOf(callback: string, state: string): string {
  const { searchParams } = new URL(callback)
  const code = searchParams.get('code')
  if (code !== null && searchParams.get('state') === state) return code
  throw new NoApproval(`The callback has no code: ${searchParams.get('error') ?? 'no error'}.`)
}
