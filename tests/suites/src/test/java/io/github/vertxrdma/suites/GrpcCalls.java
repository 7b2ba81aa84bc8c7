package io.github.vertxrdma.suites;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/** Replaces calls of static methods by calls of {@link OverRdma}. */
final class GrpcCalls {
  private static final ClassDesc GIVEN = OverRdma.class.describeConstable().orElseThrow();
  private static final Map<String, Method> REPLACED = Arrays.stream(OverRdma.class.getMethods())
    .filter(method -> method.isAnnotationPresent(OverRdma.InPlaceOf.class))
    .collect(Collectors.toMap(method -> key(method.getAnnotation(OverRdma.InPlaceOf.class).value().getName(), descriptor(method)),
      method -> method));

  private GrpcCalls() {
  }

  static byte[] replaced(byte[] bytes) {
    ClassFile file = ClassFile.of();
    CodeTransform code = (builder, element) -> {
      Method given = element instanceof InvokeInstruction call && call.opcode() == Opcode.INVOKESTATIC
        ? REPLACED.get(key(call.owner().asInternalName().replace('/', '.'), call.type().stringValue())) : null;
      if (given == null) {
        builder.with(element);
      } else {
        builder.invokestatic(GIVEN, given.getName(),
          MethodType.methodType(given.getReturnType(), given.getParameterTypes()).describeConstable()
            .orElseThrow());
      }
    };
    return file.transformClass(file.parse(bytes), ClassTransform.transformingMethodBodies(code));
  }

  private static String descriptor(Method method) {
    return MethodType.methodType(method.getReturnType(), method.getParameterTypes()).descriptorString();
  }

  private static String key(String owner, String descriptor) {
    return owner + descriptor;
  }
}
