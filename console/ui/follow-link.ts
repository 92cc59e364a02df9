/** Goes to an address as a click on a link would: within the document where it can, and after `LeaveGuard` has asked. */
export function followLink(href: string): void {
  const link = document.createElement('a');
  link.href = href;
  link.hidden = true;
  document.body.append(link);
  link.click();
  link.remove();
}
