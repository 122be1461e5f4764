var n=e=>{};export{n as connect};
export const version="b75c2e549c"
