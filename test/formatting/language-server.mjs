/**
 * A language server of which a story knows what it says: an error on each word `WRONG`, published when a file is
 * opened or changed, as a real one does it.
 */
let buffer = Buffer.alloc(0)

const send = (message) => {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }))
  process.stdout.write(`Content-Length: ${body.length}\r\n\r\n`)
  process.stdout.write(body)
}

const errorsOf = (text) =>
  text.split('\n').flatMap((line, index) =>
    [...line.matchAll(/WRONG\w*/g)].map(({ 0: word, index: character }) => ({
      range: { start: { line: index, character }, end: { line: index, character: character + word.length } },
      severity: 1,
      source: 'words',
      message: `${word} is wrong`,
    }))
  )

const take = ({ id, method, params }) => {
  if (method === 'initialize') return send({ id, result: { capabilities: { textDocumentSync: 1 } } })
  const { text } = params?.contentChanges?.at(-1) ?? params?.textDocument ?? {}
  if (text === undefined) return id !== undefined && method !== undefined && send({ id, result: null })
  const { uri, version } = params.textDocument
  send({ method: 'textDocument/publishDiagnostics', params: { uri, version, diagnostics: errorsOf(text) } })
}

process.stdin.on('data', (chunk) => {
  buffer = Buffer.concat([buffer, chunk])
  for (;;) {
    const head = buffer.indexOf('\r\n\r\n')
    if (head < 0) return
    const length = Number(/Content-Length: (\d+)/i.exec(buffer.subarray(0, head).toString())[1])
    if (buffer.length < head + 4 + length) return
    const body = buffer.subarray(head + 4, head + 4 + length).toString()
    buffer = buffer.subarray(head + 4 + length)
    take(JSON.parse(body))
  }
})
