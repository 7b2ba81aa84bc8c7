/** For providers without hardware: registered memory, posted receives and completions. */
package io.github.vertxrdma.provider.software;
