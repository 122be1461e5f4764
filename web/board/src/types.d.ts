// What the bundler makes of files that are no code.
declare module "*.css" {
  const text: string;
  export default text;
}
declare module "pieces.bin" {
  const base64: string;
  export default base64;
}
