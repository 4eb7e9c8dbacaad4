import { createHash } from 'node:crypto'
import { accentOf } from './accent.ts'
import { logoUri } from './logo.ts'
import { styleOf } from './style.ts'

/** What makes the pages yours. */
export interface Brand {
  /** The name of your service, on every page. */
  readonly name: string
  /** Path or `file:` URL of an SVG, PNG, WebP or JPEG file, `<svg …>` markup, or a `data:` URI; at most 64 KiB. */
  readonly logo?: string | URL | undefined
  /**
   * The color of links and of the main button, as CSS writes it. It needs a contrast of 4.5:1 on the light pages; the one for
   * the dark theme is derived. Default: teal.
   */
  readonly accent?: string | undefined
  /** CSS of your own, after that of the pages: for pages of yours in the same layout. */
  readonly style?: string | undefined
  /** Links below every page, such as imprint and privacy. */
  readonly footer?: readonly FooterLink[] | undefined
}

export interface FooterLink {
  readonly text: string
  readonly href: string
}

/** The brand as pages use it. */
export interface Theme {
  readonly name: string
  readonly logo?: string | undefined
  readonly footer: readonly FooterLink[]
  readonly style: string
  /** Its source expression for the Content-Security-Policy. */
  readonly styleHash: string
}

/** @throws Error that names what is wrong with the logo, the accent or the style */
export function themeOf({ name, logo, accent, style = '', footer = [] }: Brand): Theme {
  if (/<\/style/i.test(style)) throw new Error('brand.style must be CSS, without a closing tag')
  const whole = styleOf(accentOf(accent)) + style
  const styleHash = `sha256-${createHash('sha256').update(whole).digest('base64')}`
  return { name, logo: logo && logoUri(logo), footer, style: whole, styleHash }
}
