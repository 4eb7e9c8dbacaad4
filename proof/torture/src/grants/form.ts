/** A form of a page, as the kit fills it in. */
export interface Form {
  readonly action: string
  readonly method: 'GET' | 'POST'
  readonly fields: readonly (readonly [name: string, value: string])[]
}

const ALLOWS = /allow|approve|accept|authori[sz]e|consent|continue|confirm|yes|sign.?in|log.?in|submit/i
const DENIES = /deny|denied|cancel|reject|refuse|decline|\bno\b/i

/**
 * Reads the form that lets a user go on: the first one with a field of `typed`, or else the first whose button allows.
 *
 * @param typed what the user types, by the name of the field
 */
export function formOf(page: string, typed: Readonly<Record<string, string>>): Form | undefined {
  const forms = [...page.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/gi)].map(
    ([, tag = '', inside = '']) => ({
      attributes: attributesOf(tag),
      inputs: [...inside.matchAll(/<input\b([^>]*)>/gi)].map(([, each = '']) => attributesOf(each)),
      buttons: buttonsOf(inside),
    }),
  )
  const wanted =
    forms.find(({ inputs }) => inputs.some(({ name = '' }) => name in typed)) ?? forms.find(allows)
  if (wanted === undefined) return undefined
  const { attributes, inputs } = wanted
  const fields = inputs
    .filter(isSent)
    .map(({ name = '', value }) => [name, typed[name] ?? value ?? 'on'] as const)
  const { name: button, value: pressed = '' } = allowingButton(wanted.buttons) ?? {}
  return {
    action: attributes.action ?? '',
    method: attributes.method?.toLowerCase() === 'post' ? 'POST' : 'GET',
    fields: button === undefined ? fields : [...fields, [button, pressed]],
  }
}

type Attributes = Readonly<Record<string, string | undefined>>

function buttonsOf(inside: string): readonly Attributes[] {
  const buttons = [...inside.matchAll(/<button\b([^>]*)>([\s\S]*?)<\/button>/gi)]
  const submits = [...inside.matchAll(/<input\b([^>]*)>/gi)].map(([, tag = '']) => attributesOf(tag))
  return [
    ...buttons.map(([, tag = '', text = '']) => ({ ...attributesOf(tag), text })),
    ...submits.filter(({ type }) => type === 'submit').map((each) => ({ ...each, text: each.value })),
  ]
}

function allows({ buttons }: { readonly buttons: readonly Attributes[] }): boolean {
  return allowingButton(buttons) !== undefined
}

function allowingButton(buttons: readonly Attributes[]): Attributes | undefined {
  return buttons.find(({ name, value, text }) => {
    const words = `${name} ${value} ${text}`
    return ALLOWS.test(words) && !DENIES.test(words)
  })
}

/** Ticks every checkbox: a scope that is not ticked is not approved. */
function isSent({ name, type, disabled }: Attributes): boolean {
  return name !== undefined && disabled === undefined && type !== 'submit' && type !== 'button'
}

function attributesOf(tag: string): Attributes {
  const found = tag.matchAll(/([\w-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g)
  return Object.fromEntries(
    [...found].map(([, name = '', ...values]) => [name.toLowerCase(), decoded(values.find(Boolean) ?? '')]),
  )
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function decoded(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole
    return String.fromCodePoint(Number.parseInt(decimal ?? hex, decimal === undefined ? 16 : 10))
  })
}
