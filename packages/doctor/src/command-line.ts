import { parseArgs } from 'node:util'

export const USAGE = `npx @grantkit/doctor <base URL> [--resource <URL>] [--json] [--no-register] [--follow] [--id-token <token>]
npx @grantkit/doctor <base URL> --client <client> [--json] [--no-register]

Examines a live deployment from outside, as its clients see it; or whether one client could sign in there.

  --resource      the API or MCP server that the tokens are for, where it is not the base URL
  --json          the findings as JSON
  --no-register   do not register the throw-away client that some checks need
  --follow        also read what the metadata name at other origins; nothing is posted there
  --id-token      an ID token of the deployment, to be examined too
  --client        a known client, such as cursor; or the address of a client's document, which is fetched from here,
                  as the deployment would
  --help          this text

Ends with 0 when every check passed, 1 when one failed, 2 when there was nothing to examine.`

/** A deployment to examine. */
export interface Examination {
  readonly baseUrl: string
  readonly json: boolean
  readonly register: boolean
  /** Whether to read documents at other origins that the metadata name. */
  readonly follow: boolean
  readonly idToken: string | undefined
  /** The resource to examine, where it is not the base URL. */
  readonly resource: string | undefined
  /** A known client by its id, or the address of a client's document. */
  readonly client: string | undefined
}

export type CommandLine =
  | (Examination & { readonly kind: 'examination' })
  | { readonly kind: 'help' }
  | { readonly kind: 'refused'; readonly reason: string }

/** @param given the arguments after the program name */
export function readCommandLine(given: readonly string[]): CommandLine {
  try {
    return examinationOf(parsed(given))
  } catch (error) {
    return refused(firstSentence(error instanceof Error ? error.message : String(error)))
  }
}

const parsed = (given: readonly string[]) =>
  parseArgs({
    args: [...given],
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      'no-register': { type: 'boolean', default: false },
      follow: { type: 'boolean', default: false },
      'id-token': { type: 'string' },
      client: { type: 'string' },
      resource: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })

function examinationOf({ values, positionals }: ReturnType<typeof parsed>): CommandLine {
  const [baseUrl, ...more] = positionals
  if (values.help) return { kind: 'help' }
  if (baseUrl === undefined) return refused('The base URL is missing.')
  if (more.length > 0) return refused('Only one base URL can be examined at a time.')
  const { json, follow, client, resource, 'no-register': unregistered, 'id-token': idToken } = values
  const foreign = [baseUrl, resource ?? baseUrl].find((address) => !isWebAddress(address))
  if (foreign !== undefined) return refused(`"${foreign}" is not an http or https URL.`)
  return { kind: 'examination', baseUrl, json, register: !unregistered, follow, idToken, resource, client }
}

function refused(reason: string): CommandLine {
  return { kind: 'refused', reason }
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

/** Keeps the first sentence: the advice that Node adds is partly wrong for this command. */
function firstSentence(message: string): string {
  return `${message.split(/\.(?:\s|$)/, 1)[0]}.`
}
