export const health = () => 'ok'
