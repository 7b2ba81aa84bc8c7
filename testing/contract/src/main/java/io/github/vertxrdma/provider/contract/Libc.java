package io.github.vertxrdma.provider.contract;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

final class Libc {
  private Libc() {
  }

  static MethodHandle find(String name, MemoryLayout... arguments) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().find(name).orElseThrow(), FunctionDescriptor.of(ValueLayout.JAVA_INT, arguments));
  }

  static int call(MethodHandle function, Object... arguments) {
    int result;
    try {
      result = (int) function.invokeWithArguments(arguments);
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
    if (result < 0) {
      throw new IllegalStateException(function + " gave " + result);
    }
    return result;
  }
}
