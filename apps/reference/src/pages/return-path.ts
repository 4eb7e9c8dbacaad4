/** Where to go after signing in: a path of this service, whatever was asked for. */
export function returnPath(baseUrl: string, asked: string | null): string {
  const base = new URL(`${baseUrl}/`)
  const home = base.pathname
  // Browsers read "//" and "/\" as another host, and drop control characters before they look.
  if (asked === null || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(asked) || !URL.canParse(asked, base.href))
    return home
  return new URL(asked, base).origin === base.origin ? asked : home
}
