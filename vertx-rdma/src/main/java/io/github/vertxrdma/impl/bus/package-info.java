/** Services of the event bus over links: their messages, clients, servers and verticles. */
package io.github.vertxrdma.impl.bus;
