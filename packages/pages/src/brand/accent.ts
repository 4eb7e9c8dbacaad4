import { contrast, formatHex, isValidColor, parseCSS, toGamut } from 'colorizr'

/** The colours behind text, of `style.ts`. An accent is text on them, and a button under white or dark text. */
export const LIGHT_GROUND = '#f4f5f7'
export const DARK_CARD = '#1a1e24'

/** WCAG 2.2, 1.4.3: 4.5 for text of normal size. A hundredth more, because `contrast()` rounds. */
const AA = 4.51

const DEFAULT_ACCENT = '#0f766e'

/** The colour of links and of the main button, as `#rrggbb`. */
export interface Accent {
  readonly light: string
  readonly dark: string
}

/**
 * The accent in the light theme, and one derived from it for the dark theme.
 *
 * @throws Error that names the contrast and the nearest colour that passes
 */
export function accentOf(color = DEFAULT_ACCENT): Accent {
  const light = opaqueHex(color)
  // The ground is darker than the white under a button's text, so this is the harder of both demands.
  const ratio = contrast(light, LIGHT_GROUND)
  if (ratio < AA)
    throw new Error(
      `brand.accent ${color} has a contrast of ${ratio.toFixed(2)}:1 in the light theme, and text needs ${AA}:1 (WCAG 1.4.3). The nearest color that has it is ${nearest(light, LIGHT_GROUND, -STEP)}`,
    )
  return { light, dark: nearest(light, DARK_CARD, STEP) }
}

function opaqueHex(color: string): string {
  const hex = isCssColor(color) ? formatHex(parseCSS(color, 'hex')).toLowerCase() : ''
  if (/^#[0-9a-f]{6}$/.test(hex)) return hex
  throw new Error(`brand.accent ${color} is not an opaque CSS color such as ${DEFAULT_ACCENT}`)
}

function isCssColor(color: string): boolean {
  return typeof color === 'string' && isValidColor(color)
}

const STEP = 0.004

/** The same hue and chroma in OKLCH, its lightness moved until it passes. */
function nearest(color: string, ground: string, step: number): string {
  const { l, c, h } = parseCSS(color, 'oklch')
  for (let lightness = l; lightness >= 0 && lightness <= 1; lightness += step) {
    const moved = toGamut(`oklch(${[lightness, c, h].map((value) => value.toFixed(4)).join(' ')})`, 'hex')
    if (contrast(moved, ground) >= AA) return moved
  }
  return step > 0 ? '#ffffff' : '#000000'
}
