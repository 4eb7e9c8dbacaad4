/** Text from a server, a file or an argument, on one line. Control characters and marks of direction forge no line. */
export function escaped(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}
