/** For providers without hardware: registered memory, posted receives and completions, kept by this process itself. */
package io.github.vertxrdma.provider.software;
