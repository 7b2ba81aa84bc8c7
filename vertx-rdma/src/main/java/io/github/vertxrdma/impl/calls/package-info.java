/** Services of the event bus over links: requests and replies, clients, servers and verticles. */
package io.github.vertxrdma.impl.calls;
