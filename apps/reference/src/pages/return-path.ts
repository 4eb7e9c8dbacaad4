/** The target after sign-in: always a path of this service. */
export function returnPath(baseUrl: string, asked: string | undefined): string {
  const base = new URL(`${baseUrl}/`)
  const home = base.pathname
  // Browsers read "//" and "/\" as another host, and no header holds what is not ASCII.
  if (asked === undefined || !/^\/(?!\/)[!-[\]-~]*$/.test(asked) || !URL.canParse(asked, base.href))
    return home
  return new URL(asked, base).origin === base.origin ? asked : home
}
