package dev.tracewright.runner;

import java.io.EOFException;
import java.lang.reflect.Array;

/**
 * A decoded test case. Everything is resolved before a run, so that the run consists of calls only.
 */
final class Program {
    static final int NULL = 0, BOOLEAN = 1, BYTE = 2, CHAR = 3, SHORT = 4, INT = 5, LONG = 6, FLOAT = 7, DOUBLE = 8, STRING = 9, CLASS = 10,
            CONSTRUCT = 11, CALL = 12, GET_FIELD = 13, PUT_FIELD = 14, ARRAY = 15, PUT_ELEMENT = 16, STUB = 17;
    static final int NO_VARIABLE = 0xffff;

    final Statement[] statements;
    /** The calls on mocks in the run that has begun last. */
    private Interactions interactions = new Interactions();

    /** A statement gives a value or null; {@code shape} is its format. */
    abstract static class Statement {
        /**
         * First character of the descriptor of the static type; {@code L} for all references,
         * {@code V} for none.
         */
        char shape = 'L';
        /** The class that the statement initialises, or null. */
        Project.Type owner;

        /** Resolves members: after it, nothing can fail before the run. */
        void resolve() throws Illegal {}

        abstract Object perform(Object[] values) throws Throwable;
    }

    private static final class Constant extends Statement {
        private final Object value;

        Constant(char shape, Object value) {
            this.shape = shape;
            this.value = value;
        }

        @Override
        Object perform(Object[] values) {
            return value;
        }
    }

    Program(Wire.Reader in, Project project) throws EOFException {
        statements = new Statement[in.uint16()];
        for (int i = 0; i < statements.length; i++) {
            statements[i] = statement(in, project, i);
        }
    }

    void resolve() throws Illegal {
        for (int i = 0; i < statements.length; i++) {
            try {
                statements[i].resolve();
            } catch (Illegal illegal) {
                throw new Illegal(i, illegal.getMessage());
            }
        }
    }

    /** Begins a run. */
    Interactions begin() {
        interactions = new Interactions();
        return interactions;
    }

    /** Whether the statement uses a member of the class. */
    boolean names(String binaryName) {
        for (Statement statement : statements) {
            if (statement.owner != null && statement.owner.binaryName.equals(binaryName)) {
                return true;
            }
        }
        return false;
    }

    private Statement statement(Wire.Reader in, Project project, int index) throws EOFException {
        switch (in.uint8()) {
            case NULL:
                return new Constant('L', null);
            case BOOLEAN:
                return new Constant('Z', in.uint8() != 0);
            case BYTE:
                return new Constant('B', (byte) in.int8());
            case CHAR:
                return new Constant('C', (char) in.uint16());
            case SHORT:
                return new Constant('S', (short) in.uint16());
            case INT:
                return new Constant('I', in.int32());
            case LONG:
                return new Constant('J', in.int64());
            case FLOAT:
                return new Constant('F', Float.intBitsToFloat(in.int32()));
            case DOUBLE:
                return new Constant('D', Double.longBitsToDouble(in.int64()));
            case STRING:
                // A literal of a source file: equal strings are one object.
                return new Constant('L', in.chars().intern());
            case CLASS:
                return classLiteral(project, project.type(in.int32()));
            case CONSTRUCT:
            case CALL:
                return call(in, project);
            case GET_FIELD:
                return getField(in, project);
            case PUT_FIELD:
                return putField(in, project);
            case ARRAY:
                return array(in, project);
            case PUT_ELEMENT:
                return putElement(in);
            case STUB:
                return stub(in, project, index);
            default:
                throw new EOFException("unknown statement");
        }
    }

    private static Statement classLiteral(Project project, Project.Type type) {
        return new Statement() {
            private Class<?> literal;

            @Override
            void resolve() throws Illegal {
                literal = project.resolve(type);
            }

            @Override
            Object perform(Object[] values) {
                return literal;
            }
        };
    }

    private static Statement call(Wire.Reader in, Project project) {
        Project.Callable callable = project.callable(in.int32());
        int receiver = in.uint16();
        int shift = receiver == NO_VARIABLE ? 0 : 1;
        int[] variables = new int[in.uint8() + shift];
        if (shift == 1) {
            variables[0] = receiver;
        }
        for (int i = shift; i < variables.length; i++) {
            variables[i] = in.uint16();
        }
        Statement statement = new Statement() {
            private Class<?>[] parameters;
            /** For a call that leaves out the continuation: what runs it. */
            private Coroutines coroutines;

            @Override
            void resolve() throws Illegal {
                project.resolve(callable);
                parameters = callable.parameters();
                if (Coroutines.suspends(parameters, variables.length)) {
                    coroutines = Coroutines.of(project.loader());
                } else if (parameters.length != variables.length) {
                    throw new Illegal(callable.name + callable.descriptor + " takes another number of arguments");
                }
            }

            @Override
            Object perform(Object[] values) throws Throwable {
                Object[] arguments = new Object[parameters.length];
                for (int i = 0; i < variables.length; i++) {
                    arguments[i] = converted(parameters[i], values[variables[i]]);
                }
                if (callable.hasReceiver() && arguments[0] == null) {
                    throw new Illegal("the receiver of " + callable.name + " is null");
                }
                if (coroutines == null) {
                    return callable.call(arguments);
                }
                return coroutines.runBlocking(continuation -> {
                    arguments[arguments.length - 1] = continuation;
                    return callable.call(arguments);
                });
            }
        };
        statement.shape = callable.returned;
        statement.owner = callable.owner;
        return statement;
    }

    private static Statement getField(Wire.Reader in, Project project) {
        Project.Variable variable = project.variable(in.int32());
        int receiver = in.uint16();
        Statement statement = new Statement() {
            @Override
            void resolve() throws Illegal {
                project.resolveGetter(variable);
            }

            @Override
            Object perform(Object[] values) throws Throwable {
                Object value = variable.get(receiverOf(project, variable, receiver, values));
                if (variable.isStatic && variable.shape == 'L') {
                    // The test now has the object, and no probe of the class would see that.
                    Sink.staticRead(value, project.resolve(variable.owner));
                }
                return value;
            }
        };
        statement.shape = variable.shape;
        statement.owner = variable.owner;
        return statement;
    }

    private static Statement putField(Wire.Reader in, Project project) {
        Project.Variable variable = project.variable(in.int32());
        int receiver = in.uint16();
        int value = in.uint16();
        Statement statement = new Statement() {
            private Class<?> type;

            @Override
            void resolve() throws Illegal {
                project.resolveSetter(variable);
                type = project.resolve(variable.type);
            }

            @Override
            Object perform(Object[] values) throws Throwable {
                if (variable.isStatic) {
                    Sink.staticWrite(project.resolve(variable.owner));
                }
                variable.set(receiverOf(project, variable, receiver, values), converted(type, values[value]));
                return null;
            }
        };
        statement.shape = 'V';
        statement.owner = variable.owner;
        return statement;
    }

    private static Object receiverOf(Project project, Project.Variable variable, int receiver, Object[] values) throws Illegal {
        if (variable.isStatic) {
            return null;
        }
        Object object = receiver == NO_VARIABLE ? null : values[receiver];
        if (object == null || !project.resolve(variable.owner).isInstance(object)) {
            throw new Illegal("the receiver of " + variable.name + " is null or of another class");
        }
        return object;
    }

    private static Statement array(Wire.Reader in, Project project) {
        Project.Type element = project.type(in.int32());
        int length = in.int32();
        int[] variables = new int[in.uint16()];
        for (int i = 0; i < variables.length; i++) {
            variables[i] = in.uint16();
        }
        return new Statement() {
            private Class<?> type;

            @Override
            void resolve() throws Illegal {
                type = project.resolve(element);
                if (type == void.class || length < 0 || variables.length > length) {
                    throw new Illegal("no such array");
                }
            }

            @Override
            Object perform(Object[] values) throws Throwable {
                Object array = Array.newInstance(type, length);
                for (int i = 0; i < variables.length; i++) {
                    Array.set(array, i, converted(type, values[variables[i]]));
                }
                return array;
            }
        };
    }

    private static Statement putElement(Wire.Reader in) {
        int variable = in.uint16();
        int index = in.int32();
        int value = in.uint16();
        Statement statement = new Statement() {
            @Override
            Object perform(Object[] values) throws Throwable {
                Object array = values[variable];
                if (array == null || !array.getClass().isArray() || index < 0 || index >= Array.getLength(array)) {
                    throw new Illegal("no such element");
                }
                Array.set(array, index, converted(array.getClass().getComponentType(), values[value]));
                return null;
            }
        };
        statement.shape = 'V';
        return statement;
    }

    private Statement stub(Wire.Reader in, Project project, int index) {
        Project.Type type = project.type(in.int32());
        boolean mocked = in.uint8() != 0;
        AnswerPlan[] plans = new AnswerPlan[in.uint16()];
        for (int i = 0; i < plans.length; i++) {
            plans[i] = new AnswerPlan(in, project);
        }
        return new Statement() {
            private Class<?> declared;

            @Override
            void resolve() throws Illegal {
                declared = project.resolve(type);
            }

            @Override
            Object perform(Object[] values) throws Throwable {
                Answers answers = new Answers(mocked ? interactions : null, index);
                for (AnswerPlan plan : plans) {
                    plan.addTo(answers, values);
                }
                return mocked ? Stub.mock(declared, project.loader(), answers) : Stub.make(declared, project.loader(), answers);
            }
        };
    }

    /** An answer whose values are numbers of variables. */
    private static final class AnswerPlan {
        private final Project.Callable method;
        private final int[] arguments;
        private final boolean[] thrown;
        private final int[] outcomes;

        AnswerPlan(Wire.Reader in, Project project) {
            method = project.callable(in.int32());
            arguments = new int[in.uint8()];
            for (int i = 0; i < arguments.length; i++) {
                arguments[i] = in.uint16();
            }
            outcomes = new int[in.uint16()];
            thrown = new boolean[outcomes.length];
            for (int i = 0; i < outcomes.length; i++) {
                thrown[i] = in.uint8() != 0;
                outcomes[i] = in.uint16();
            }
        }

        void addTo(Answers answers, Object[] values) throws Illegal {
            Object[] expected = new Object[arguments.length];
            for (int i = 0; i < expected.length; i++) {
                expected[i] = arguments[i] == NO_VARIABLE ? Answers.ANY : values[arguments[i]];
            }
            Object[] given = new Object[outcomes.length];
            for (int i = 0; i < given.length; i++) {
                given[i] = values[outcomes[i]];
                if (thrown[i] && !(given[i] instanceof Throwable)) {
                    throw new Illegal("an answer of " + method.name + " throws no exception");
                }
            }
            if (given.length == 0) {
                throw new Illegal("an answer of " + method.name + " has no outcome");
            }
            answers.add(method.name, method.descriptor, expected, thrown, given);
        }
    }

    private static Object converted(Class<?> type, Object value) throws Illegal {
        if (!Values.fits(type, value)) {
            throw new Illegal((value == null ? "null" : value.getClass().getName()) + " is no " + type.getName());
        }
        return value;
    }
}
