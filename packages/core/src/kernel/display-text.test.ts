import { describe, expect, it } from 'vitest'
import { displayText, terminalText } from './display-text.ts'

describe('displayText', () => {
  it.each(['Zürich 2', 'Tiếng Việt', 'ज़ुंबा की ज़िंदगी', 'กี่ น้ำ', 'မြို့', 'བསྒྲུབས', 'שָׁלוֹם', 'C++ (beta) — 🎓'])(
    'leaves %s as it is',
    (text) => {
      expect(displayText(text.normalize('NFD'))).toBe(text.normalize('NFC'))
    },
  )

  it.each([
    'Café ☕\ufe0f',
    '👩\u200d💻 Dev Tools',
    '👩🏽\u200d💻 🏳\ufe0f\u200d🌈',
    '1\ufe0f\u20e3 First',
    'نرم\u200cافزار من',
    'क्\u200dष ऐप',
    'ශ්\u200dරී',
  ])('keeps the joiners and the style of emoji that %s is written with', (text) => {
    expect(displayText(text)).toBe(text)
  })

  it.each<[string, string, string]>([
    ['joiners that join nothing', 'a\u200db\u200cc\ufe0f\u200d', 'abc'],
    ['joiners at an end, and runs of them', '\u200dم\u200c\u200cا\u200c', 'ما'],
    ['a direction between joined letters', 'م\u202e\u200cا', 'ما'],
    ['ends of lines', 'a\r\nb\u2028c\u2029d\u0085e', 'a b c de'],
    ['marks that turn the text around', 'a\u202egpj\u2066b\u200f', 'agpjb'],
    ['characters of no width', 'a\u200bb\u2060c\u00add\u{e0041}', 'abcd'],
    ['Hangul fillers', 'a\u115f\u1160\u3164\uffa0b', 'ab'],
    ['symbols without a shape', 'a\ufffcb\u{1d159}c', 'abc'],
    ['runs of blanks', ' a\u00a0\u3000 \u2800b\u2800 ', 'a b'],
    ['private characters and half a pair', 'a\uf8ffb\ud800c', 'abc'],
    ['a pile of marks', `a${'\u0334\u030d'.repeat(95)}b`, 'a\u0334\u0334b'],
    ['a pile of marks of one script', `ก${'\u0e47'.repeat(50)}`, `ก${'\u0e47'.repeat(5)}`],
    ['a pile of marks of two scripts', `ก${'\u0e47\u0300'.repeat(50)}`, 'ก\u0e47\u0300\u0e47\u0300\u0e47'],
  ])('takes out %s', (_, text, shown) => {
    expect(displayText(text)).toBe(shown)
    expect(displayText(shown)).toBe(shown)
  })
})

describe('terminalText', () => {
  it.each<[string, string, string]>([
    ['an escape sequence', 'a\u001b[2Jb\u009b1m', 'a\\u001b[2Jb\\u009b1m'],
    ['an end of a line', 'a\nb\u2028c', 'a\\u000ab\\u2028c'],
    ['a mark that turns the text around', 'a\u202eb', 'a\\u202eb'],
    ['a character of no width', 'a\u200b\u3164b', 'a\\u200b\\u3164b'],
    ['a character of two units', 'a\u{e0041}b', 'a\\udb40\\udc41b'],
  ])('escapes %s', (_, text, shown) => {
    expect(terminalText(text)).toBe(shown)
  })

  it('leaves other scripts and symbols readable', () => {
    expect(terminalText('Škola 日本 🎓')).toBe('Škola 日本 🎓')
  })

  it('keeps what JSON means', () => {
    const value = { name: 'a\u001b[2J\u009b\u202e\u{e0041}\\u202e"' }
    expect(JSON.parse(terminalText(JSON.stringify(value)))).toEqual(value)
  })
})
