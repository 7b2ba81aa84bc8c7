/** Mechanisms of clients: the search for an instance of a server, and the attempts of a call. Extensions use this package too. */
package io.github.vertxrdma.impl.calls;
