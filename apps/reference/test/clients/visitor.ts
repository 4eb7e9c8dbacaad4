/**
 * A browser in front of an app: keeps its cookies and follows its redirects.
 *
 * @returns asks for an address; its result is the first answer that leads nowhere, or away from the app
 */
export function visitor(origin: string) {
  const cookies = new Map<string, string>()
  return async function visit(url: string): Promise<Response> {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const next = new URL(answer.headers.get('location') ?? '', url)
    return answer.headers.has('location') && next.origin === origin ? visit(next.href) : answer
  }
}
