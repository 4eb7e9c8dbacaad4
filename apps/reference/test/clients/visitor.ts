/**
 * A browser in front of an app: keeps its cookies, follows its redirects, and presses the button of a page with a form.
 *
 * @returns asks for an address; its result is the first answer that leads nowhere, or away from the app
 */
export function visitor(origin: string) {
  const cookies = new Map<string, string>()

  return async function visit(url: string, form?: URLSearchParams): Promise<Response> {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const asked = form === undefined ? {} : { method: 'POST', body: form }
    const answer = await fetch(url, { ...asked, redirect: 'manual', headers: { cookie } })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    if (answer.headers.has('location')) {
      const next = new URL(answer.headers.get('location') ?? '', url)
      return next.origin === origin ? visit(next.href) : answer
    }
    const page = await answer.clone().text()
    const [, action] = /<form action="([^"]+)" method="POST">/.exec(page) ?? []
    return action === undefined ? answer : visit(new URL(action, url).href, hiddenFields(page))
  }
}

function hiddenFields(page: string): URLSearchParams {
  const fields = page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)
  return new URLSearchParams([...fields].map(([, name = '', value = '']) => [name, value]))
}
