/** Links: the bytes of frames, the way to an open link, messages, remote operations, and the end. */
package io.github.vertxrdma.impl.link;
