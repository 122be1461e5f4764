// What the bundler makes of files that are no code.
declare module "*.css" {
  const text: string;
  export default text;
}
declare module "pieces" {
  const paths: string;
  export default paths;
  export const UNIT: number; // thousandths of an em to a unit of the paths
}
declare module "symbols" {
  const paths: string;
  export default paths;
  export const UNIT: number;
}
declare module "pairs" {
  const paths: string;
  export default paths;
  export const UNIT: number;
}
// The version of the files, which all of them hold.
declare const VERSION: string;
