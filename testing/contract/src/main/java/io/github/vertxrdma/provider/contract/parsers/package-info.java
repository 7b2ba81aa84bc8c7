/** Parsers of bytes from others, with recorded inputs and mutations. */
package io.github.vertxrdma.provider.contract.parsers;
