import type { ClientRequest } from '@grantkit/testkit/client'

/** What stands for `{name}` in the requests of a client. */
export type Values = Readonly<Record<string, string>>

/** The address in a request: `{name}` is form-encoded in its query. @throws Error for a name without a value */
export function filledAddress(address: string, values: Values): string {
  const [path = '', query] = address.split('?')
  const before = fill(path, values)
  return query === undefined ? before : `${before}?${fill(query, values, formEncoded)}`
}

/** A request of a client, ready to be sent. @throws Error for a name without a value */
export function filledRequest(message: string, values: Values): { url: string; request: ClientRequest } {
  const [head = '', body = ''] = message.trim().split('\n\n')
  const [requestLine = '', ...headerLines] = head.split('\n')
  const [method = '', address = ''] = requestLine.split(' ')
  const headers = Object.fromEntries(headerLines.map((line) => fill(line, values).split(': ')))
  const isForm = /x-www-form-urlencoded/.test(head)
  return {
    url: filledAddress(address, values),
    request: { method, headers, body: fill(body, values, isForm ? formEncoded : undefined) },
  }
}

function fill(text: string, values: Values, encoded = (value: string) => value): string {
  return text.replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name]
    if (value === undefined) throw new Error(`There is no value for {${name}} yet: ${text}`)
    return encoded(value)
  })
}

function formEncoded(value: string): string {
  return String(new URLSearchParams({ value })).slice('value='.length)
}
