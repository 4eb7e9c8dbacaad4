/** A value for a terminal. Strangers choose names of clients: escaped, they cannot steer it. */
export function plain(value: unknown): string {
  const text = Array.isArray(value) ? value.join(',') : value
  if (typeof text === 'string' && /^[\x21-\x7e]*$/.test(text)) return text
  return JSON.stringify(text).replaceAll(/\p{C}/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`)
}
