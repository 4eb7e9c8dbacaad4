/** In bytes: the logo is part of every page. */
const MAX_SIZE = 64 * 1024

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  svg: 'image/svg+xml',
  png: 'image/png',
  webp: 'image/webp',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
}

const DATA_URI = /^data:image\/(svg\+xml|png|webp|jpeg)[;,]/

/**
 * The logo as a `data:` URI for `<img>`, in which an SVG runs no script.
 *
 * @param logo path or `file:` URL of an image, `<svg …>` markup, or a `data:` URI
 * @throws Error that says what it can be
 */
export function logoUri(logo: string | URL): string {
  const uri = String(logo)
  if (uri.startsWith('data:')) return checkedUri(uri)
  if (uri.trimStart().startsWith('<svg'))
    return ofSize(uri.length, `data:image/svg+xml,${encodeURIComponent(uri)}`)
  return readLogo(logo)
}

function checkedUri(uri: string): string {
  if (!DATA_URI.test(uri))
    throw new Error('brand.logo: a data: URI must have an SVG, PNG, WebP or JPEG image')
  const bytes = uri.includes(';base64,') ? (uri.length * 3) / 4 : uri.length
  return ofSize(bytes, uri)
}

/** When the pages are created, so that no page waits for a disk. */
function readLogo(path: string | URL): string {
  const type = MEDIA_TYPES[/\.(\w+)$/.exec(String(path))?.[1]?.toLowerCase() ?? '']
  if (type === undefined) throw new Error(`brand.logo ${path} must be an SVG, PNG, WebP or JPEG file`)
  const files = globalThis.process?.getBuiltinModule?.('node:fs')
  if (files === undefined)
    throw new Error('brand.logo: this runtime reads no files here. Give <svg …> markup or a data: URI')
  try {
    const content = files.readFileSync(path)
    return ofSize(content.length, `data:${type};base64,${content.toString('base64')}`)
  } catch (cause) {
    if (cause instanceof RangeError) throw cause
    throw new Error(`brand.logo ${path} cannot be read`, { cause })
  }
}

function ofSize(bytes: number, uri: string): string {
  if (bytes <= MAX_SIZE) return uri
  throw new RangeError(
    `brand.logo has ${Math.ceil(bytes / 1024)} KiB, and at most 64 KiB fit into every page`,
  )
}
