import { contrast, hex2oklch } from 'colorizr'
import { describe, expect, it } from 'vitest'
import { accentOf, DARK_CARD, LIGHT_GROUND } from './accent.ts'

describe('accentOf', () => {
  it.each([
    undefined,
    '#0f766e',
    '#0f5e59',
    '#000',
    'rebeccapurple',
    'rgb(120 30 30)',
    'oklch(0.45 0.2 260)',
  ])('reads text and buttons of %s in both themes', (color) => {
    const { light, dark } = accentOf(color)
    for (const ground of [LIGHT_GROUND, '#ffffff']) expect(contrast(light, ground)).toBeGreaterThan(4.5)
    expect(contrast(dark, DARK_CARD)).toBeGreaterThan(4.5)
  })

  it('keeps the hue for the dark theme', () => {
    const { light, dark } = accentOf('#0f766e')
    expect(hex2oklch(dark).h).toBeCloseTo(hex2oklch(light).h, -1)
  })

  it.each([
    ['#7dd3c8', '1.60'],
    ['gold', '1.29'],
    ['#ffffff', '1.09'],
    ['#ff4d4f', '3.00'],
  ])('refuses %s, names its contrast of %s:1, and a color that passes', (color, ratio) => {
    const refused = () => accentOf(color)
    expect(refused).toThrow(`brand.accent ${color} has a contrast of ${ratio}:1 in the light theme`)
    const nearest = /(#[0-9a-f]{6})$/.exec(messageOf(refused))?.[1]
    expect(accentOf(nearest).light).toBe(nearest)
    expect(contrast(nearest ?? '', LIGHT_GROUND)).toBeLessThan(4.7)
  })

  it.each(['teall', '#0f766e80', 'rgb(0 0 0 / 0.5)', 'red;}body{display:none', ''])(
    'refuses %j, which is no opaque color',
    (color) => {
      expect(() => accentOf(color)).toThrow('is not an opaque CSS color')
    },
  )
})

function messageOf(thrower: () => unknown): string {
  try {
    thrower()
  } catch (error) {
    return (error as Error).message
  }
  return ''
}
