/** One load: `import()` takes 4 µs every time, and signing an ID token by ES256 takes 80. */
let loading: Promise<typeof import('jose')> | undefined

/** The library of keys and signatures. It is 46 files, and a server without OpenID Connect needs none of them. */
export function jose(): Promise<typeof import('jose')> {
  loading ??= import('jose')
  return loading
}
