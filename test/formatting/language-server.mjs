/** A language server that reports each word that starts with `WRONG` as an error. */
const send = (message) => {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message })
  process.stdout.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}

const errorsIn = (text) =>
  text.split('\n').flatMap((lineText, line) =>
    [...lineText.matchAll(/WRONG\w*/g)].map(({ 0: word, index: character }) => ({
      range: { start: { line, character }, end: { line, character: character + word.length } },
      severity: 1,
      message: `${word} is wrong`,
    }))
  )

const answer = ({ id, method, params }) => {
  // Only messages about a changed or an opened file have a text.
  const { text } = params?.contentChanges?.at(-1) ?? params?.textDocument ?? {}
  if (text !== undefined) {
    const { uri, version } = params.textDocument
    const diagnostics = errorsIn(text)
    send({ method: 'textDocument/publishDiagnostics', params: { uri, version, diagnostics } })
  } else if (method !== undefined && id !== undefined) {
    send({ id, result: method === 'initialize' ? { capabilities: { textDocumentSync: 1 } } : null })
  }
}

const HEADER = /^Content-Length: (\d+)[^]*?\r\n\r\n/i
let received = ''
// In `latin1`, `length` counts bytes, as `Content-Length` does.
process.stdin.setEncoding('latin1').on('data', (chunk) => {
  received += chunk
  for (;;) {
    const [header, length] = HEADER.exec(received) ?? []
    if (header === undefined) return
    const end = header.length + Number(length)
    if (received.length < end) return
    answer(JSON.parse(received.slice(header.length, end)))
    received = received.slice(end)
  }
})
