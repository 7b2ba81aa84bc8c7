/** Parsers of bytes that others sent, tried with recorded inputs and with mutations of them. */
package io.github.vertxrdma.provider.contract.parsers;
