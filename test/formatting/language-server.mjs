/** A language server that reports an error at each word `WRONG…` of a file that is opened or changed. */
const send = (message) => {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message })
  process.stdout.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
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

const answer = ({ id, method, params }) => {
  if (method === 'initialize') return send({ id, result: { capabilities: { textDocumentSync: 1 } } })
  const { text } = params?.contentChanges?.at(-1) ?? params?.textDocument ?? {}
  if (text === undefined) return id !== undefined && method !== undefined && send({ id, result: null })
  const { uri, version } = params.textDocument
  send({ method: 'textDocument/publishDiagnostics', params: { uri, version, diagnostics: errorsOf(text) } })
}

let received = Buffer.alloc(0)
process.stdin.on('data', (chunk) => {
  received = Buffer.concat([received, chunk])
  for (let header; (header = /^Content-Length: (\d+)[^]*?\r\n\r\n/i.exec(received.toString('latin1')));) {
    const [start, end] = [header[0].length, header[0].length + Number(header[1])]
    if (received.length < end) return
    answer(JSON.parse(received.subarray(start, end)))
    received = received.subarray(end)
  }
})
