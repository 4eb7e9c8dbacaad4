import { drive } from './load.ts'
import type { TargetProcess } from './target-process.ts'
import { WORKLOADS, type WorkloadName } from './workloads.ts'

const SPOT_CHECKS = 5

/**
 * Checks the answers of a round, after its clock has stopped: each has its members, all tokens differ, some of them open the
 * guarded route, a forged one does not.
 *
 * @throws Error that says what is wrong
 */
export async function checkAnswers(
  target: TargetProcess,
  workload: WorkloadName,
  bodies: readonly string[],
): Promise<void> {
  const tokens = tokensOf(workload, bodies)
  const step = Math.ceil(tokens.length / SPOT_CHECKS)
  if (step > 0)
    await requireUsable(
      target,
      tokens.filter((_, index) => index % step === 0),
    )
}

/** The access tokens of the answers, once all answers are right. */
export function tokensOf(workload: WorkloadName, bodies: readonly string[]): string[] {
  const { members } = WORKLOADS[workload]
  const answers = bodies.map((body) => JSON.parse(body) as Record<string, string>)
  const isRight = (answer: Record<string, unknown>) =>
    members.every((name) => answer[name] !== undefined && answer[name] !== '' && answer[name] !== false) &&
    !isToolFailure(answer)
  const wrong = answers.find((answer) => !isRight(answer))
  if (wrong !== undefined) throw new Error(`Answered ${JSON.stringify(wrong).slice(0, 500)}`)
  const secrets = ['access_token', 'refresh_token', 'request_uri'].filter((name) =>
    (members as readonly string[]).includes(name),
  )
  for (const name of secrets)
    if (new Set(answers.map((answer) => answer[name])).size < answers.length)
      throw new Error(`Two answers have one ${name}`)
  return secrets.includes('access_token') ? answers.map(({ access_token = '' }) => access_token) : []
}

/** MCP reports it as a result. */
function isToolFailure({ result }: { readonly result?: { readonly isError?: boolean } }): boolean {
  return result?.isError === true
}

async function requireUsable(target: TargetProcess, tokens: readonly string[]): Promise<void> {
  const { requests = [] } = await target.ask({ do: 'open', tokens })
  const [request] = requests
  const [token = ''] = tokens
  if (request === undefined) return
  const send = (texts: readonly string[], isExpected: (status: number) => boolean) =>
    drive({ port: target.port, requests: texts.map((text) => Buffer.from(text)), connections: 1, isExpected })
  await send(requests, (status) => status === 200)
  await send([request.replace(token, forged(token))], (status) => status === 401 || status === 400)
}

/** A different token of the same form. It does not change the last character, which may hold unused bits. */
function forged(token: string): string {
  return `${token.slice(0, -3)}${token.at(-3) === 'a' ? 'b' : 'a'}${token.slice(-2)}`
}
