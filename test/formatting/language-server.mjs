/** A language server, which the host starts: reports an error at each word `WRONG…` of a file. */
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
  // A message about an opened or changed file has its text.
  const { text } = params?.contentChanges?.at(-1) ?? params?.textDocument ?? {}
  if (text !== undefined) {
    const { uri, version } = params.textDocument
    const diagnostics = errorsIn(text)
    send({ method: 'textDocument/publishDiagnostics', params: { uri, version, diagnostics } })
  } else if (method !== undefined && id !== undefined) {
    send({ id, result: method === 'initialize' ? { capabilities: { textDocumentSync: 1 } } : null })
  }
}

let received = ''
process.stdin.setEncoding('latin1').on('data', (chunk) => {
  received += chunk
  for (let header; (header = /^Content-Length: (\d+)[^]*?\r\n\r\n/i.exec(received));) {
    const end = header[0].length + Number(header[1])
    if (received.length < end) return
    answer(JSON.parse(received.slice(header[0].length, end)))
    received = received.slice(end)
  }
})
