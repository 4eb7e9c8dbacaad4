/** What API Gateway (HTTP API, payload format 2.0) and function URLs send to a function, as AWS documents it. */
export interface LambdaRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body?: string
  readonly sourceIp?: string
}

export interface LambdaAnswer {
  readonly statusCode: number
  readonly headers: Record<string, string>
  readonly cookies?: string[]
  readonly body: string
  readonly isBase64Encoded: boolean
}

const DOMAINS = {
  'HTTP API': 'id.execute-api.eu-central-1.amazonaws.com',
  'function URL': 'id.lambda-url.eu-central-1.on.aws',
} as const

/** Cookies are a list, headers are lower case and one text each, and the body of a form is base64. */
export function lambdaEvent(
  front: keyof typeof DOMAINS,
  url: string,
  { method = 'GET', headers = {}, body = '', sourceIp = '192.0.2.1' }: LambdaRequest = {},
): object {
  const { pathname, search } = new URL(url)
  const lines = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const)
  const { cookie, ...others } = Object.fromEntries(lines)
  const isText = others['content-type']?.startsWith('application/json') ?? false
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: pathname,
    rawQueryString: search.slice(1),
    ...(cookie === undefined ? {} : { cookies: cookie.split('; ') }),
    headers: {
      ...others,
      'x-forwarded-for': sourceIp,
      'x-forwarded-port': '443',
      'x-forwarded-proto': 'https',
    },
    requestContext: {
      accountId: front === 'HTTP API' ? '123456789012' : 'anonymous',
      apiId: 'id',
      domainName: DOMAINS[front],
      domainPrefix: 'id',
      http: { method, path: pathname, protocol: 'HTTP/1.1', sourceIp, userAgent: 'agent' },
      requestId: 'JKJaXmPLvHcESHA=',
      routeKey: '$default',
      stage: '$default',
      time: '12/Mar/2026:19:03:58 +0000',
      timeEpoch: 1_773_342_238_390,
    },
    ...(body === '' ? {} : { body: isText ? body : Buffer.from(body).toString('base64') }),
    isBase64Encoded: body !== '' && !isText,
  }
}
