/** Tests of parsers for bytes from peers, with recorded and mutated inputs. */
package io.github.vertxrdma.provider.contract.parsers;
