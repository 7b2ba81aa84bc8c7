/** Event bus services over links: messages, clients, servers and verticles. */
package io.github.vertxrdma.impl.calls;
