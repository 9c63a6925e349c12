// What the panel uses of the two packages that the host gives a terminal plugin. Their own types would bring a compiler
// and native libraries.

declare module 'solid-js' {
  export const createMemo: <T>(compute: () => T) => () => T
  export const createSignal: <T>(value: T) => [get: () => T, set: (value: T) => void]
}

declare module '@opentui/solid/jsx-runtime' {
  type Color = string | object
  type Children = unknown
  type Box = {
    children?: Children
    flexDirection?: 'row' | 'column'
    gap?: number
    paddingLeft?: number
    paddingRight?: number
    paddingBottom?: number
    height?: number
    onMouseDown?: () => void
    onMouseUp?: () => void
    focused?: boolean
  }
  type Text = {
    children?: Children
    fg?: Color
    flexGrow?: number
    wrapMode?: 'none' | 'word'
  }

  export namespace JSX {
    type Element = object | string | number | null | Array<Element>
    interface IntrinsicElements {
      box: Box
      scrollbox: Box
      text: Text
      b: { children?: Children }
    }
    interface ElementChildrenAttribute {
      children: unknown
    }
  }
}

declare module '@opentui/solid' {
  export type { JSX } from '@opentui/solid/jsx-runtime'
}
