/** Registered memory, posted receives and completions for providers without hardware. */
package io.github.vertxrdma.provider.software;
